"""What is run by hand or by CI: checks, generated documents, comparisons."""
