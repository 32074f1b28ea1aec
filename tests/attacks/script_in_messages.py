# Puts a script into an exception's text.
def spread(values):
    raise ValueError("<script>document.title = 'owned'</script>")
