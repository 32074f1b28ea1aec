"""What runs inside the sandbox. It imports nothing of ours but the encoding and the frames."""
