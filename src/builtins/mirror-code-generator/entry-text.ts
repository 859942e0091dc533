/** What a model is told about the file that callers of the skill load. */
export function buildEntryText(exports: readonly string[]): string {
  const lines = [
    exportsLine(exports),
    'Each is called as `(input, scope)` and gives, or resolves to, a JSON value. `input` is JSON as the promise says. `scope` has:',
    '- `scope.call(name, input)`: calls another skill. Resolves to `{status: "done", text, value?}` or `{status: "failed", text, error: {code, message}}`.',
    '- `scope.model(prompt, {tier?, schema?, system?})`: asks a language model. Resolves to its text, or to a value that fits the JSON Schema where one is given.',
    '- `scope.note(message, data?)`: a line for whoever watches.',
    '- `scope.signal`: an AbortSignal; `scope.runId`, `scope.session`, `scope.skill`: strings.',
    "In TypeScript its type is there: `import type { CodeScope } from 'skilled';`. Nothing else can be imported from there.",
    'What cannot be done is thrown, as an Error whose message says what is wrong with what.',
  ];
  return lines.join('\n');
}

/** What a file must export. */
export function exportsLine(exports: readonly string[]): string {
  return `It must export by name, as functions: ${exports.map((name) => `\`${name}\``).join(', ')}.`;
}
