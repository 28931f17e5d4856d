"""How a picture is made of what a program shows on a terminal: read what it wrote, draw that."""
