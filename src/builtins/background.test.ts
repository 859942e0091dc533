import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { describe, test } from 'node:test';
import { fileStage, skillFile } from '../../test/support/file-stage.ts';
import { until } from '../../test/support/deadline.ts';
import type { JsonObject } from '../core/json.ts';
import type { ModelRequest } from '../core/model.ts';
import type { Script } from '../models/scripted.ts';

const last = ({ messages }: ModelRequest): string =>
  (messages.at(-1)?.text ?? '').replace(/^\[\$\$[\w-]+\]\n/, '');
/** Whether a program runs on this machine, also in a sandbox. */
const runs = (program: string): boolean =>
  readdirSync('/proc').some((id) => {
    try {
      return readFileSync(`/proc/${id}/cmdline`, 'utf8').startsWith(program.replace(' ', '\0'));
    } catch {
      return false; // It is not a process, or has ended.
    }
  });
const idIn = (text: string): string => /\bc_\w+/.exec(text)?.[0] ?? '';
const call = (name: string, input: JsonObject) => ({ calls: [{ name, input }] });
const background = (command: string) => call('bash', { command, run_in_background: true });

/** Runs a skill whose model follows a script. Returns what the model read. */
async function play(script: Script): Promise<readonly string[]> {
  await using stage = fileStage({ work: skillFile('work', 'Work.') }, script);
  const { result } = await stage.run('work');
  assert.equal(result.ok, true, result.text);
  return stage.model.requests.map(last);
}

describe('a command in the background', () => {
  test('returns at once, and bash-output reads what is new and its end', async () => {
    let id = '';
    const command = 'echo one; until [ -e go ]; do sleep 0.05; done; echo two; echo three >&2; exit 3';
    const texts = await play((request, turn) => {
      if (turn === 1) return background(command);
      if (turn === 2) id = idIn(last(request));
      if (turn === 3) return call('write', { file_path: 'go', content: '' });
      return last(request).endsWith('[exit code 3]') ? 'Done.' : call('bash-output', { id, wait_ms: 30_000 });
    });
    assert.match(texts[1] ?? '', /runs in the background as c_\w+/);
    assert.match(texts[2] ?? '', /^one\n\[running for \d+ s\]$/);
    const later = texts.slice(4).join('\n');
    assert.match(later, /two\n[^]*three\n[^]*\[exit code 3\]$/);
    assert.doesNotMatch(later, /one/);
  });

  test('is stopped by bash-kill with its children, and listed without an id', async () => {
    let id = '';
    const texts = await play((request, turn) => {
      if (turn === 1) return background('sleep 3600 & echo $!; wait');
      if (turn === 2) id = idIn(last(request));
      if (turn === 2) return call('bash-output', { id, wait_ms: 30_000 });
      if (turn === 3) return call('bash-output', {});
      return turn === 4 ? call('bash-kill', { id }) : 'Done.';
    });
    assert.match(texts[3] ?? '', new RegExp(`^${id}: running for \\d+ s: sleep 3600`));
    assert.equal(texts[4], `Stopped ${id}.`);
  });

  test('ends with the conversation that started it', { skip: process.platform !== 'linux' }, async () => {
    const program = `sleep 3600.${process.pid}`;
    let seen = false;
    await using stage = fileStage({ work: skillFile('work', 'Work.') }, (request, turn) => {
      if (turn === 1) return background(`${program} & echo on; wait`);
      if (turn === 2) return call('bash-output', { id: idIn(last(request)), wait_ms: 30_000 });
      const pause = new Int32Array(new SharedArrayBuffer(4));
      for (let left = 1000; !(seen = runs(program)) && left > 0; left--) Atomics.wait(pause, 0, 0, 50);
      return 'Done.';
    });
    const { result, events } = await stage.run('work');
    assert.equal(result.ok, true);
    assert.equal(seen, true);
    await until(() => !runs(program));
    const started = events.find((event) => event.type === 'frame.started' && event.skill === 'bash');
    assert.partialDeepStrictEqual(started, { input: { run_in_background: true } });
  });

  test('is unknown under another id, and not more than eight run at once', async () => {
    const many = Array.from({ length: 9 }, (_, index) => background(`sleep 36${index}`).calls).flat();
    await using stage = fileStage({ work: skillFile('work', 'Work.') }, (_request, turn) => {
      if (turn === 1) return call('bash-output', { id: 'c_nope' });
      return turn === 2 ? { calls: many } : 'Done.';
    });
    const { result } = await stage.run('work');
    assert.equal(result.ok, true);
    const results = stage.model.requests.map(({ messages }) => messages.map(({ text }) => text).join('\n'));
    assert.match(results[1] ?? '', /no background command "c_nope".*usage\.not-found/s);
    assert.equal(results[2]?.match(/runs in the background/g)?.length, 8);
    assert.match(results[2] ?? '', /limit\.calls/);
  });
});
