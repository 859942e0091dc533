import { existsSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { defineSkill, type DefinedSkill } from '../../src/core/define-skill.ts';
import type { Json } from '../../src/core/json.ts';
import type { Output } from '../../src/core/run.ts';
import type { Policy } from '../../src/core/policy.ts';
import type { Scope } from '../../src/core/scope.ts';
import { loopOutput } from '../../src/engines/loop/end.ts';
import { runLoop } from '../../src/engines/loop/run-loop.ts';
import { textOf } from '../support/text-of.ts';
import { perform } from './worker-skills.ts';

/**
 * A folder where processes and skills wait for each other. Each one reports its arrival, and all continue when
 * it is opened.
 */
export interface Rendezvous {
  readonly folder: string;
  readonly effects: string;
  readonly isOpen: () => boolean;
  open(): void;
  arrive(name: string): void;
  /** Returns the number of arrivals. */
  readonly arrivals: () => number;
}

/** Opens the meeting point in a folder. */
export function openRendezvous(folder: string): Rendezvous {
  const signalFile = join(folder, 'gate');
  return {
    folder,
    effects: join(folder, 'effects'),
    isOpen: () => existsSync(signalFile),
    open: () => {
      writeFileSync(signalFile, '');
    },
    arrive: (name) => {
      writeFileSync(join(folder, `${arrived}${name}`), '');
    },
    arrivals: () => readdirSync(folder).filter((file) => file.startsWith(arrived)).length,
  };
}

const arrived = 'arrived-';

/** The kinds of work, with the number of places where each waits. */
export const kindsOfWork: Readonly<Record<string, number>> = {
  shell: 1,
  think: 1,
  ask: 0,
  borrow: 0,
  plan: 2,
  deaf: 1,
  mute: 1,
  deep: 1,
  branch: 1,
  late: 1,
};

/** A policy that asks about one skill and allows the others. */
export const lendPolicy: Policy = {
  decide: ({ skill }) =>
    skill === 'lend'
      ? { decision: 'ask', reason: 'It is yours.', rule: 'Skill(lend)' }
      : { decision: 'allow' },
};

/**
 * Returns one skill for each kind of work, and their callees. Processes carry the mark on their command line.
 */
export function shutdownSkills(rendezvous: Rendezvous, mark: string): readonly DefinedSkill[] {
  const act = (scope: Scope, name: string): Promise<string> =>
    scope.step(name, (key) => {
      perform(rendezvous.effects, name, key);
      return name;
    });
  const between = (name: string, work: (scope: Scope, input: Json) => Promise<unknown>): DefinedSkill =>
    defineSkill({
      name,
      description: `Does ${name} between two effects.`,
      async run(input, scope) {
        await act(scope, 'before');
        await work(scope, input);
        await act(scope, 'after');
        return done(`${name} ${textOf(input)}`);
      },
    });
  const hold = async (scope: Scope): Promise<void> => {
    rendezvous.arrive(scope.run.frameId + scope.run.id);
    if (!rendezvous.isOpen()) await new Promise<never>(() => undefined);
  };
  return [
    between('note', () => Promise.resolve()),
    between('lend', () => Promise.resolve()),
    between('shell', async (scope) => {
      const name = scope.run.frameId + scope.run.id;
      const command = `: ${mark}; echo > 'arrived-${name}'; until [ -e gate ]; do sleep 0.05; done; echo through`;
      succeed(await scope.call('bash', { command }));
    }),
    defineSkill<string>({
      name: 'think',
      description: 'Thinks.',
      allowedSkills: ['note'],
      run: async (prompt, scope) => loopOutput(await runLoop(scope, { prompt: `think ${prompt}` })),
    }),
    between('ask', (scope) => scope.ask('Which colour?')),
    between('borrow', async (scope, input) => succeed(await scope.call('lend', input))),
    between('plan', async (scope, input) => {
      const script = `@one note one\n@two shell two\n@three mute three\n@all final_answer $one $two $three`;
      const { text } = succeed(await scope.call('run-sop', { script, name: textOf(input) }));
      if (text !== 'note one shell two mute three') throw new Error(text);
    }),
    // It ignores the request to stop.
    between('deaf', async (scope) => {
      rendezvous.arrive(scope.run.frameId + scope.run.id);
      for (let times = 0; ; times++) {
        await delay(20);
        const isOpen = await scope.step(`look ${times}`, (key) => {
          perform(rendezvous.effects, `look${times}`, key);
          return rendezvous.isOpen();
        });
        if (isOpen) return;
      }
    }),
    between('mute', hold),
    between('deep', async (scope, input) => succeed(await scope.call('middle', input))),
    between('middle', async (scope, input) => succeed(await scope.call('shell', input))),
    between('branch', (scope) => {
      const waited = scope.step('wait', () => hold(scope).then(() => null));
      return Promise.all([scope.ask('Which colour?'), waited, act(scope, 'beside')]);
    }),
    // It ends after the shutdown has started.
    between('late', (scope) =>
      scope.step('end', async () => {
        rendezvous.arrive(scope.run.frameId + scope.run.id);
        while (!existsSync(join(rendezvous.folder, 'leaving')) && !rendezvous.isOpen()) await delay(5);
        return null;
      }),
    ),
  ];
}

function done(text: string): Output {
  return { status: 'done', text };
}

function succeed(output: Output): Output {
  if (output.status === 'done') return output;
  throw new Error(output.error.message);
}
