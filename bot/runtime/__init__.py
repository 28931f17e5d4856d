"""The async shell around the core: it acts, and knows no vendor and no database."""
