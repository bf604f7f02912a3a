"""Long searches for what the tests did not think of, each with a function `run(n, seed)`.

``python -m campaign.damaged_files 20000 0`` damages so many files, from this seed on, and prints
what became of them. What is found has its seed, and can be had again.
"""
