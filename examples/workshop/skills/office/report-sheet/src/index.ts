import { figureLine, type Machine } from './figures.ts';

export interface Morning {
  readonly faulty: readonly Machine[];
  readonly total: number;
  readonly notice: string;
}

export async function action({ faulty, total, notice }: Morning): Promise<string> {
  return [[figureLine(faulty, total)], machineLines(faulty), noticeLines(notice)]
    .filter((part) => part.length > 0)
    .map((part) => part.join('\n'))
    .join('\n\n');
}

function machineLines(faulty: readonly Machine[]): string[] {
  return faulty.length === 0 ? [] : ['Not usable:', ...faulty.map(machineLine)];
}

function machineLine({ tag, name, place, fault, repair_hours }: Machine): string {
  const what = `- ${tag} ${name}${place ? ` (${place})` : ''}`;
  const known = [fault ?? '', typeof repair_hours === 'number' ? `${repair_hours} h` : ''];
  const more = known.filter((part) => part !== '').join(' ');
  return more === '' ? what : `${what}: ${more}`;
}

function noticeLines(notice: string): string[] {
  const lines = notice.split('\n');
  const files = lines.flatMap((line) => /^\s*\[FILE\] (.+)$/.exec(line)?.[1]?.trim() ?? []);
  const text = lines.filter((line) => !/^\s*\[FILE\] /.test(line)).join('\n').trim();
  const others = files.filter((name) => name !== 'today.md').map((name) => name.replace(/\.md$/, ''));
  const said = [
    ...(text === '' ? [] : [text]),
    ...(others.length === 0 ? [] : [`Also there: ${others.join(', ')}.`]),
  ];
  return said.length === 0 ? [] : ['On the board:', ...said];
}
