import { wrapWords } from '../../output/text.ts';
import type { ChatCommand, Said } from './chat.ts';

type Row = readonly [typed: string, summary: string];

/** What can be typed, for people who do not know it yet, in lines of so many columns. Pure. */
export function showHelp(commands: readonly ChatCommand[], columns = Infinity): Said {
  const rows: readonly Row[] = [
    ...commands.map(({ name, takes = '', summary }): Row => [`/${name} ${takes}`.trimEnd(), summary]),
    ['/<skill> [words]', 'call a skill; Tab completes its name'],
    ['@<skill> [words]', 'the same, also for a skill that has the name of a command above'],
  ];
  const widest = Math.max(...rows.map(([typed]) => typed.length));
  const lines = [
    ...wrapWords(first, columns),
    '',
    ...rows.flatMap((row) => linesOf(row, widest, columns)),
    '',
    ...last.flatMap((line) => wrapWords(line, columns)),
  ];
  const text = lines.map((line) => `${line}\n`).join('');
  return { text, document: { ok: true, help: text } };
}

const first =
  'Say what is to be done; the skill that fits is found. A line that ends with \\ goes on in the next.';
const last = [
  'The arrow keys bring back what was typed before. Words that are typed while something runs wait for its end.',
  'Ctrl+C stops what runs and stays here; at an empty line it leaves.',
];

const leastRoom = 30; // with less, the meaning stands below

function linesOf([typed, summary]: Row, widest: number, columns: number): readonly string[] {
  const room = columns - widest - 4;
  if (room < leastRoom) return [`  ${typed}`, ...wrapWords(`    ${summary}`, columns, '    ')];
  const [beside = '', ...below] = wrapWords(summary, room);
  const gap = ' '.repeat(widest + 4);
  return [`  ${typed.padEnd(widest)}  ${beside}`, ...below.map((line) => `${gap}${line}`)];
}
