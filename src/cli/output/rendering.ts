import { readFileSync } from 'node:fs';
import { basename, dirname } from 'node:path';
import { bundleOfBytes } from '../../core/descriptor/bundle.ts';
import type { LoadedText, RenderedCommand, Rendering } from '../../core/family.ts';
import { isJsonObject } from '../../core/json.ts';
import type { RunResult } from '../../core/run.ts';
import type { Skill } from '../../core/skill.ts';
import { toLf, visible } from '../../core/text.ts';
import type { Terminal } from '../terminal.ts';
import { table } from './table.ts';
import { oneLine } from './text.ts';

/** What a run that loaded a skill came to. */
export function loadedText({ text, value }: RunResult): Rendering {
  const none = { text, commands: [], replacements: [] };
  return isJsonObject(value) && typeof value['text'] === 'string' ? (value as unknown as LoadedText) : none;
}

/** A rendering as the document of `render --json`. */
export function renderingJson({ text, commands, replacements }: Rendering): object {
  return { ok: true, text, commands, replacements };
}

/** Each placeholder with its value and its place in the file, and each command with what it came to. */
export function explanation(skill: Skill, { commands, replacements }: Rendering, terminal: Terminal): string {
  const where = placesIn(skill.file);
  const values = replacements.map(({ placeholder, value, at }) =>
    cells([where(at), visible(placeholder), visible(value)]),
  );
  const lines = commands.map((command) => cells([stateOf(command), visible(command.command)]));
  const titles = (names: readonly string[]): { title: string }[] => names.map((title) => ({ title }));
  const parts = [
    values.length === 0
      ? 'No placeholder got a value.\n'
      : table(titles(['WHERE', 'PLACEHOLDER', 'VALUE']), values, terminal),
    lines.length === 0 ? 'There are no commands.\n' : table(titles(['RESULT', 'COMMAND']), lines, terminal),
  ];
  return `${oneLine(skill.file)}\n\n${parts.join('\n')}`;
}

function cells(texts: readonly string[]): readonly { readonly text: string }[] {
  return texts.map((text) => ({ text }));
}

function stateOf({ ran, exitCode }: RenderedCommand): string {
  if (!ran) return 'not run';
  return exitCode === undefined ? 'ran' : `exit ${exitCode}`;
}

/** Turns an offset in the body of a descriptor into `line:column` of its file, both counted from 1. */
function placesIn(file: string): (at: number) => string {
  const place = { dir: dirname(file), file, stem: basename(file), loose: false };
  const { head, text, body } = bundleOfBytes(readFileSync(file), place);
  const above = toLf(text.slice(0, head.bodyStart));
  const whole = `${above}${body}`;
  const starts = [0, ...Array.from(whole.matchAll(/\n/g), ({ index }) => index + 1)];
  let line = 0;
  return (at) => {
    const place = above.length + at;
    if (place < (starts[line] ?? 0)) line = 0;
    while ((starts[line + 1] ?? Infinity) <= place) line++; // each starts where the last one ended: they come in order
    return `${line + 1}:${place - (starts[line] ?? 0) + 1}`;
  };
}
