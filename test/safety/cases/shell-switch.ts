import assert from 'node:assert/strict';
import { existsSync, rmSync } from 'node:fs';
import type { AgentOptions } from '../../../src/agent/options.ts';
import { createScriptedModel } from '../../../src/models/scripted.ts';
import type { SafetyCase } from '../case.ts';
import { openEntryPoints, writeSkill } from '../entry-points.ts';
import type { Stage } from '../stage.ts';
import { runSkill } from '../report.ts';

const under = {
  own: { skills: { disableShellExecution: true } },
  other: { disableSkillShellExecution: true },
} as const;

/** A place where the switch can be set. */
interface Switch {
  readonly where: string;
  readonly options: AgentOptions;
  throw(stage: Stage): void;
}

const file = '.skilled/settings.json';
const nothing = (): undefined => undefined;

const switches: readonly Switch[] = [
  { where: 'an option', options: { settings: under.own }, throw: nothing },
  ...Object.entries(under).flatMap(([name, settings]): readonly Switch[] => [
    {
      where: `the file of the user, ${name} name`,
      options: { settings: true },
      throw: (stage) => void stage.writeHome(file, JSON.stringify(settings)),
    },
    {
      where: `the file of the project, ${name} name`,
      options: { settings: true },
      throw: (stage) => void stage.write(file, JSON.stringify(settings)),
    },
    {
      where: `the file of the user against that of the project, ${name} name`,
      options: { settings: true },
      throw(stage) {
        stage.writeHome(file, JSON.stringify(settings));
        stage.write(
          file,
          '{"disableSkillShellExecution": false, "skills": {"disableShellExecution": false}}',
        );
      },
    },
  ]),
];

const hooks = ['before', 'after', 'stop'].map((moment) => `  ${moment}: touch PWNED\n`).join('');

/** The places where commands in skill texts can be disabled. */
export const shellSwitchCases: readonly SafetyCase[] = [
  {
    id: 'P07',
    what: 'with shell execution disabled in any place, no command in a text runs, and the error says so',
    async run(stage) {
      writeSkill(stage, 'span', 'Well, !`touch PWNED`');
      writeSkill(stage, 'fence', '!`echo harmless`\n\n```!\ntouch PWNED\n```');
      writeSkill(stage, 'given', '!`touch $ARGUMENTS`');
      writeSkill(stage, 'hooked', 'No command.', `hooks:\n${hooks}`);
      writeSkill(stage, 'plain', 'No command, but `!` and `touch PWNED`.');
      for (const each of switches) {
        for (const path of [stage.at(file), `${stage.home}/${file}`]) rmSync(path, { force: true });
        each.throw(stage);
        stage.settle('readable');
        await checkTexts(stage, each);
        await checkHooks(stage, each);
      }
      return undefined;
    },
  },
];

async function checkTexts(stage: Stage, { where, options }: Switch): Promise<void> {
  await using entryPoints = openEntryPoints(stage, options);
  for (const name of ['span', 'fence', 'given']) {
    for (const { entryPoint, result, text, called } of await entryPoints.open(name, 'PWNED')) {
      assert.equal(result.error?.code, 'policy.shell-disabled', `${name}, ${entryPoint}, ${where}`);
      assert.match(result.error.hint ?? '', /disableShellExecution/);
      assert.deepEqual([called, text], [[name], undefined], `${name}, ${entryPoint}, ${where}`);
    }
  }
  for (const { entryPoint, result } of await entryPoints.open('plain'))
    assert.equal(result.status, 'done', `plain, ${entryPoint}, ${where}`);
  const { result } = await runSkill(entryPoints.agent, {
    skill: 'bash',
    input: { command: 'echo of a person' },
  });
  assert.match(result.text, /of a person/, 'only commands in texts are disabled');
  assert.ok(!existsSync(stage.at('PWNED')), where);
}

/** Checks that a hook that cannot run prevents the call that it should check. */
async function checkHooks(stage: Stage, { where, options }: Switch): Promise<void> {
  const models = createScriptedModel((_request, turn) =>
    turn === 1
      ? { calls: [{ name: 'skill', input: { name: 'hooked' } }] }
      : turn === 2
        ? { calls: [{ name: 'read', input: { file_path: 'inside.txt' } }] }
        : 'Done.',
  );
  for (const skill of ['hooked', 'plain']) {
    await using entryPoints = openEntryPoints(stage, { models, ...options });
    const { called } = await runSkill(entryPoints.agent, { skill });
    assert.ok(!called.includes('bash'), `hooks, ${skill}, ${where}`);
    assert.ok(!existsSync(stage.at('PWNED')), where);
  }
}
