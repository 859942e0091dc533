import type { ChatCommand, Said } from './chat.ts';

/** What can be typed, for people who do not know it yet. Pure. */
export function showHelp(commands: readonly ChatCommand[]): Said {
  const rows = [
    ...commands.map(({ name, takes, summary }) => [
      takes === undefined ? `/${name}` : `/${name} ${takes}`,
      summary,
    ]),
    ['/<skill> [words]', 'call a skill; Tab completes its name'],
    ['@<skill> [words]', 'the same, also for a skill that has the name of a command above'],
  ];
  const width = Math.max(...rows.map(([typed = '']) => typed.length));
  const lines = rows.map(([typed = '', summary = '']) => `  ${typed.padEnd(width)}  ${summary}`);
  const text = `Say what is to be done; the skill that fits is found. A line that ends with \\ goes on in the next.

${lines.join('\n')}

Ctrl+C stops what runs and stays here; at an empty line it leaves.
`;
  return { text, document: { ok: true, help: text } };
}
