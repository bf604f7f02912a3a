"""What a posterior looks like: pictures and the one-file page; may import posterior and below."""
