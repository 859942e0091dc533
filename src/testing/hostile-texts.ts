const repeated = [
  '[',
  '![',
  '__',
  '**a',
  '<!--',
  '(',
  '`',
  '- a\n',
  '| a |\n',
  '```json\n',
  '---\n',
  'a\n=\n',
];

/** Texts made to exhaust or to trick a reader, by what they try. */
export function hostileTexts(good: string): Readonly<Record<string, string>> {
  const head = (yaml: string): string => `---\n${yaml}\n---\n\n# title\n\nSome text.\n`;
  const keys = Array.from({ length: 20_000 }, (_, index) => `key${index}: value`).join('\n');
  const laughs = Array.from(
    { length: 30 },
    (_, index) => `a${index + 1}: &a${index + 1} [*a${index}, *a${index}]`,
  ).join('\n');
  const deepJson = `${'{"a":'.repeat(20_000)}1${'}'.repeat(20_000)}`;
  return {
    'nothing at all': '',
    'only a byte order mark': '\ufeff',
    'only NUL bytes': '\u0000'.repeat(100),
    'NUL bytes in every line': good.replaceAll('\n', '\u0000\n'),
    '20,000 keys': head(keys),
    'a head of 1 MB': head(`description: ${'x'.repeat(1_000_000)}`),
    'maps 1,000 deep': head(`metadata: ${'{a: '.repeat(1000)}1${'}'.repeat(1000)}`),
    'lists 1,000 deep': head(`metadata: ${'['.repeat(1000)}${']'.repeat(1000)}`),
    'JSON text 10,000 deep': head(`metadata: '${'{"a":'.repeat(10_000)}1${'}'.repeat(10_000)}'`),
    'aliases that double thirty times': head(`a0: &a0 x\n${laughs}`),
    'keys that reach a prototype': head(
      '__proto__: {polluted: true}\nconstructor: {prototype: {polluted: true}}\ndescription: x',
    ),
    'JSON keys that reach a prototype': head(`metadata: '{"__proto__": {"polluted": true}}'\ndescription: x`),
    'a json fence that reaches a prototype': withFences(
      good,
      '{"type": "object", "__proto__": {"polluted": true}}',
    ),
    'a json fence 20,000 deep': withFences(good, deepJson),
    'a json fence with numbers past range': withFences(
      good,
      '{"type": "number", "maximum": 1e999, "minimum": -0}',
    ),
    'code for a head': `---js\nprocess.exit(9)\n---\n${good}`,
    'an executable tag': head('name: !!js/function "function () { process.exit(9) }"\ndescription: x'),
    '5,000 headings': good + '\n## heading\n'.repeat(5000),
    'quotes 5,000 deep': good + '> '.repeat(5000),
    'a line of 200,000 characters': good + '_a*[`('.repeat(33_000),
    'fields of 30,000 underscores': head(
      `name: ${'_'.repeat(30_000)}!\nallowed-tools: A${'_'.repeat(30_000)}!`,
    ),
    ...Object.fromEntries(
      repeated.map((token) => [`${JSON.stringify(token)} 10,000 times`, `${good}\n${token.repeat(10_000)}`]),
    ),
  };
}

/** The text with other content in its json fences, and with one more behind every heading. */
function withFences(text: string, content: string): string {
  const fence = `\`\`\`json\n${content}\n\`\`\``;
  return text
    .replace(/```json\n[^]*?```/g, () => fence)
    .replace(/^## .*$/gm, (heading) => `${heading}\n\n${fence}\n`);
}
