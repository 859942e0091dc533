import { globSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { RecursiveSkilledAgent } from '../src/config/preset.ts';
import { bundleOfText } from '../src/core/bundle.ts';
import { isAgentError, type ErrorCode } from '../src/core/error.ts';
import { defineFamily, type Family } from '../src/core/family.ts';
import type { Json } from '../src/core/json.ts';
import type { Policy } from '../src/core/policy.ts';
import { builtinFamilies } from '../src/families/index.ts';
import { createScriptedModel } from '../src/models/scripted.ts';
import { agentOn } from './agent.ts';
import type { Workload } from './data.ts';
import type { Row } from './measure.ts';
import { countCommands } from './oracle.ts';

const hostile = 'x; touch PWNED $(id) `id` "quoted" \'single\' \\ !`id`\n```!\nid\n```';
const inputs: readonly Json[] = [null, hostile, { input: hostile, name: hostile, n: 1 }, [hostile, '-rf']];

/** What a skill may say to whoever uses it wrongly, or where something that it names is missing. */
const expected: readonly ErrorCode[] = ['usage.bad-input', 'skill.not-found', 'skill.invalid'];

/** What was seen of all skills. */
interface Seen {
  skills: number;
  used: number;
  rendered: number;
  commands: number;
  asked: number;
  crashes: number;
  readonly refused: Map<string, number>;
  readonly faults: string[];
}

/** D5: every real skill through both doors and with arguments; no command of a stranger runs, and all that are asked for are counted. */
export async function doors(
  workload: Workload,
  scratch: string,
): Promise<{ readonly rows: readonly Row[]; readonly faults: readonly string[] }> {
  const seen: Seen = { skills: 0, used: 0, rendered: 0, commands: 0, asked: 0, crashes: 0, refused: new Map(), faults: [] };
  const workspace = join(scratch, 'doors');
  mkdirSync(workspace, { recursive: true });
  const files = globSync('**/*', { cwd: workload.root }).filter((file) => /(?:^|\/)skill\.md$/i.test(file));
  for (const file of files) await useSkill(join(workload.root, file), workspace, seen);
  const planted = join(scratch, 'planted');
  const found = files.filter((file) => findsPlanted(join(workload.root, file), join(planted, file), seen)).length;
  return { rows: rowsOf(seen, { files: files.length, found }), faults: seen.faults };
}

function rowsOf(seen: Seen, { files, found }: { files: number; found: number }): readonly Row[] {
  const { skills, used, rendered, commands, asked, crashes, refused } = seen;
  const reasons = [...refused].map(([reason, count]) => `${count} ${reason}`).join(', ');
  return [
    {
      id: 'D5',
      what: 'real skills loaded and called; refused',
      figure: `${used} of ${2 * skills}; ${reasons === '' ? 'none' : reasons}`,
      target: 'all',
      met: used + [...refused.values()].reduce((sum, count) => sum + count, 0) >= 2 * skills,
    },
    {
      id: 'D5',
      what: 'rendered with arguments, crashes',
      figure: `${rendered} of ${inputs.length * skills}, ${crashes}`,
      target: 'all, 0',
      met: crashes === 0,
    },
    {
      id: 'D5',
      what: 'commands in their texts, commands asked for',
      figure: `${commands}, ${asked}`,
      target: 'as many as a second opinion finds',
      met: seen.faults.length === 0,
    },
    { id: 'D5', what: 'a command at the end of each: found', figure: `${found} of ${files}` },
  ];
}

/** Loads a skill, calls it and renders it. */
async function useSkill(file: string, workspace: string, seen: Seen): Promise<void> {
  const isFor = (what: string): string => `${what}: ${file}`;
  let asked = 0;
  const policy: Policy = {
    decide({ permission }) {
      if (permission.runsProcesses !== true) return { decision: 'allow' };
      asked++;
      return { decision: 'deny', reason: 'nothing of strangers runs here.' };
    },
  };
  const models = createScriptedModel(() => 'Done.');
  await using agent = agentOn(dirname(file), { families: everywhere, models, policy, workspace, embeddings: false });
  const name = nameOf(agent, file);
  if (name === undefined) return;
  seen.skills++;
  const intended = countCommands(bodyOf(file));
  for (const through of ['load', undefined] as const) {
    try {
      const { status, error } = await agent.run({ skill: name, ...(through === undefined ? {} : { through }) }).result;
      if (status === 'done') seen.used++;
      else if (error !== undefined && (expected.includes(error.code) || intended > 0)) count(seen, error.code);
      else seen.faults.push(isFor(`crash, ${through ?? 'call'}: ${status} ${JSON.stringify(error)}`));
    } catch (thrown) {
      crash(seen, isFor(`crash, ${through ?? 'call'}`), thrown);
    }
  }
  for (const args of inputs) {
    try {
      const { commands } = agent.render(name, { args });
      seen.rendered++;
      if (args === null) seen.commands += commands.length;
      if (commands.length !== intended)
        seen.faults.push(isFor(`${commands.length} commands where a second opinion finds ${intended}`));
    } catch (thrown) {
      if (isAgentError(thrown) && expected.includes(thrown.code)) count(seen, thrown.code);
      else crash(seen, isFor('crash, render'), thrown);
    }
  }
  seen.asked += asked;
  if (asked > 2 * intended) seen.faults.push(isFor(`${asked} commands were asked for, ${intended} intended`));
}

/** Whether a command that is put behind the text of a skill is found exactly where the second opinion finds it. */
function findsPlanted(file: string, copy: string, seen: Seen): boolean {
  mkdirSync(dirname(copy), { recursive: true });
  writeFileSync(copy, `${readFileSync(file, 'utf8').trimEnd()}\n\n!\`echo planted\`\n`);
  const agent = agentOn(dirname(copy), { families: everywhere, embeddings: false });
  const name = nameOf(agent, copy);
  if (name === undefined) return false;
  const { commands } = agent.render(name, { args: hostile });
  const intended = countCommands(bodyOf(copy));
  if (commands.length !== intended)
    seen.faults.push(`planted: ${commands.length} commands where a second opinion finds ${intended}: ${file}`);
  return commands.length === 1;
}

/** The families as on a machine that has whatever a skill requires. */
const everywhere: readonly Family[] = builtinFamilies.map((family) =>
  defineFamily({
    ...family,
    parse(bundle) {
      const parsed = family.parse(bundle);
      const { requires: _requires, ...card } = parsed.card;
      return { ...parsed, card };
    },
  }),
);

function nameOf(agent: RecursiveSkilledAgent, file: string): string | undefined {
  return agent.skills.list().find((skill) => skill.file === file && skill.status === 'ready')?.name;
}

function bodyOf(file: string): string {
  const dir = dirname(file);
  return bundleOfText(readFileSync(file, 'utf8'), { dir, file, stem: dir, loose: false }).body;
}

function count({ refused }: Seen, reason: string): void {
  refused.set(reason, (refused.get(reason) ?? 0) + 1);
}

function crash(seen: Seen, what: string, thrown: unknown): void {
  seen.crashes++;
  seen.faults.push(`${what}: ${thrown instanceof Error ? (thrown.stack ?? thrown.message) : String(thrown)}`);
}
