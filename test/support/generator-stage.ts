import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { AgentOptions } from '../../src/agent/options.ts';
import type { ErrorData } from '../../src/core/error.ts';
import { isJsonObject, type Json, type JsonObject } from '../../src/core/json.ts';
import type { ModelRequest } from '../../src/core/model.ts';
import type { ScriptedTurn } from '../../src/models/scripted.ts';
import { fileStage, type FileStage, type Played } from './file-stage.ts';

/** A folder with specs, and an agent that generates code from them with a scripted model. */
export interface GeneratorStage extends AsyncDisposable {
  readonly stage: FileStage;
  /** The requested files of each model call, such as `src/a.ts` or `src/a.ts, src/b.ts`. */
  readonly asked: readonly string[];
  generate(more?: JsonObject): Promise<Played>;
  /** Returns the text of a file in the folder, or undefined if it does not exist. */
  text(path: string): string | undefined;
}

/** The model's turns, keyed by the requested files. They are used in order, and the last one repeats. */
export type Turns = Readonly<Record<string, ScriptedTurn | readonly ScriptedTurn[]>>;

/** Opens a stage with the files of a skill in the folder `adder`. */
export function openGenerator(
  files: Readonly<Record<string, string>>,
  turns: Turns | ((request: ModelRequest, turn: number) => ScriptedTurn | undefined),
  options: AgentOptions = {},
): GeneratorStage {
  const placed = Object.entries(files).map(([path, text]) => [`adder/${path}`, text]);
  const asked: string[] = [];
  const said = new Map<string, number>();
  const script = (request: ModelRequest, turn: number): ScriptedTurn | undefined => {
    const names = askedIn(request);
    asked.push(names);
    if (typeof turns === 'function') return turns(request, turn);
    const own = turns[names];
    const list = Array.isArray(own) ? (own as readonly ScriptedTurn[]) : [own as ScriptedTurn];
    const count = said.get(names) ?? 0;
    said.set(names, count + 1);
    return list[Math.min(count, list.length - 1)];
  };
  const stage = fileStage(Object.fromEntries(placed) as Record<string, string>, script, options);
  return {
    stage,
    asked,
    generate: (more = {}) =>
      stage.run('mirror-code-generator', { directory: 'adder', exports: ['action'], ...more }),
    text: (path) => textAt(join(stage.files.path, 'adder', path)),
    [Symbol.asyncDispose]: () => stage[Symbol.asyncDispose](),
  };
}

/** Formats a file as a model returns it. */
export function block(path: string, code: string): string {
  return `## file: ${path}\n\`\`\`ts\n${code}\n\`\`\`\n`;
}

/** Returns the files that a request asks for. */
export function askedIn({ messages }: ModelRequest): string {
  return /^Write (.+)\.$/m.exec(messages[0]?.text ?? '')?.[1] ?? '';
}

/** Returns the last user message, which may come from the generator. */
export function lastSaid({ messages }: ModelRequest): string {
  return messages.at(-1)?.text ?? '';
}

/** Returns the value of a generation. Fails the test if the generation failed. */
export function valueOf({ result }: Played): JsonObject {
  assert.equal(result.status, 'done', JSON.stringify(result));
  const value: Json | undefined = result.value;
  assert.ok(isJsonObject(value));
  return value;
}

/** Returns the error of a generation. Fails the test if the generation succeeded. */
export function failureOf({ result }: Played): ErrorData {
  assert.equal(result.status, 'failed', JSON.stringify(result));
  assert.ok(result.error !== undefined);
  return result.error;
}

function textAt(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return undefined; // the file does not exist
  }
}
