"""One script a question; each prints a table. What came out stands in RESULTS.md."""
