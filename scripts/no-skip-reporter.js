// A reporter for node:test that fails the run if a test was skipped or marked as todo.
export default async function* noSkipReporter(events) {
  const missed = [];
  for await (const { type, data } of events) {
    if (type !== 'test:pass' && type !== 'test:fail') continue;
    const kind = data.skip !== undefined ? 'skipped' : data.todo !== undefined ? 'todo' : undefined;
    if (kind) missed.push(`  ${data.file ?? ''}:${data.line ?? ''} ${data.name} (${kind})\n`);
  }
  if (missed.length === 0) return;
  process.exitCode = 1;
  yield `\nSKILLED_NO_SKIP is set, so these ${missed.length} tests count as failures:\n${missed.join('')}`;
}
