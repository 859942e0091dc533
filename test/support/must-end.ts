/** To be called after the last test: a process that something keeps alive for so long after it says what, and fails. */
export function mustEnd(seconds = 60): void {
  const late = setTimeout(() => {
    const held = process.getActiveResourcesInfo().join(', ');
    const file = process.argv[1] ?? '';
    process.stderr.write(`${file}: ${seconds} s after its last test it is kept alive by: ${held}.\n`);
    process.exit(1);
  }, seconds * 1000);
  late.unref();
}
