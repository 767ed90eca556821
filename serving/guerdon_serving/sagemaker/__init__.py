"""What SageMaker is asked for: requests as its interface takes them, checked without a connection."""
