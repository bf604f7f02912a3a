"""What a run may use but no number depends on: progress, store, deadline, workers."""
