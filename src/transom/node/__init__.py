"""The program that runs on a Windows host. Standard library only; handed a recipe."""
