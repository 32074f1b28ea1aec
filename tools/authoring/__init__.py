"""What authors run: build the editions from their masters and check them."""
