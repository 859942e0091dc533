import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import type { AgentOptions } from '../../../src/agent/options.ts';
import type { RecursiveSkilledAgent } from '../../../src/config/preset.ts';
import type { Json, JsonObject } from '../../../src/core/json.ts';
import {
  attacking,
  codeText,
  environmentAttempts,
  moduleAttempts,
  ownFiles,
  readAttempts,
  writeAttempts,
} from '../attempts/code.ts';
import { openCanaries } from '../canaries.ts';
import type { SafetyCase } from '../case.ts';
import { checkSilent } from '../check-silent.ts';
import { strictPolicy } from '../strict-policy.ts';
import type { Stage } from '../stage.ts';
import { tell } from '../tell.ts';

/** Code that skills come with; whoever runs it trusts the folder, and it still gets nothing. */
export const codeCases: readonly SafetyCase[] = [
  {
    id: 'P16',
    what: 'code that looks for its environment finds no secret',
    async run(stage) {
      plant(stage, attacking(environmentAttempts));
      stage.settle();
      await using agent = trusting(stage);
      const told = await tell(agent, { skill: 'attack', input: {} });
      assert.match(JSON.stringify(outcomes(told.result.value)['its variables']), /SKILLED_SKILL_DIR/);
      checkSilent(JSON.stringify(told), 'code');
      return undefined;
    },
  },
  {
    id: 'P29',
    what: 'code reaches no file, process, thread or server that it was not given',
    async run(stage) {
      plant(stage, attacking({ ...writeAttempts, ...readAttempts, ...moduleAttempts }));
      await using canaries = await openCanaries(stage.outside);
      stage.settle();
      await using agent = trusting(stage);
      const { port, socket, abstractSocket } = canaries;
      const told = await tell(agent, {
        skill: 'attack',
        input: { ...placesOf(stage), port, socket, abstractSocket },
      });
      const came = Object.entries(outcomes(told.result.value)).filter(([name]) => !(name in writeAttempts));
      checkRefused(Object.fromEntries(came));
      checkSilent(JSON.stringify(told), 'code');
      assert.equal(canaries.reached(), 0);
      checkPlanted(stage);
      return undefined;
    },
  },
  {
    id: 'P29',
    what: 'code that may write to the workspace changes no skill and no settings',
    async run(stage) {
      const granted = {
        'writes what it may': "fs.writeFileSync(at.workspace + '/granted.txt', 'granted')",
        'reads what it may': "return fs.readFileSync(at.workspace + '/inside.txt', 'utf8')",
      };
      const settings = {
        'writes settings': "fs.writeFileSync(at.workspace + '/.skilled/settings.json', '{}')",
        'writes outside': writeAttempts['writes outside'],
      };
      plant(stage, attacking({ ...granted, ...ownFiles(), ...settings }));
      stage.write('.skilled/settings.json', '{"plugins": []}');
      stage.settle();
      const entries = { attack: { workspace: 'write' } } as const;
      await using agent = trusting(stage, { settings: { skills: { entries } } });
      const { result } = await tell(agent, { skill: 'attack', input: placesOf(stage) });
      const { 'writes what it may': wrote, 'reads what it may': read, ...others } = outcomes(result.value);
      assert.deepEqual([wrote?.[0], read], [true, [true, 'inside\n']]);
      checkRefused(others);
      assert.equal(readFileSync(stage.at('.skilled/settings.json'), 'utf8'), '{"plugins": []}');
      checkPlanted(stage);
      return undefined;
    },
  },
];

/** A skill with this code, and one beside it that must stay as it is. */
function plant(stage: Stage, code: string, head = ''): void {
  stage.write('skills/attack/cskill.md', codeText('attack', head));
  stage.write('skills/attack/src/index.mjs', code);
  stage.write('skills/sibling/cskill.md', codeText('sibling'));
  stage.write('skills/sibling/src/index.mjs', siblingCode);
}

const siblingCode = 'export const action = () => "untouched";\n';

/** An agent that trusts the skills of the workspace because its host names them. */
function trusting(stage: Stage, options: AgentOptions = {}): RecursiveSkilledAgent {
  return stage.agent({ additionalSkillRoots: [stage.at('skills')], policy: strictPolicy([]), ...options });
}

function placesOf({ workspace, home, outside, at }: Stage): JsonObject {
  return { workspace, home, outside, own: at('skills/attack'), sibling: at('skills/sibling') };
}

type Outcomes = Readonly<Record<string, readonly [isDone: boolean, text: string]>>;

function outcomes(value: Json | undefined): Outcomes {
  assert.ok(typeof value === 'object' && value !== null, JSON.stringify(value));
  return value as unknown as Outcomes;
}

function checkRefused(told: Outcomes): void {
  const done = Object.entries(told).filter(([, [isDone]]) => isDone);
  assert.deepEqual(done, []);
  assert.ok(Object.keys(told).length > 5);
}

/** Fails unless both skills are what they were. */
function checkPlanted(stage: Stage): void {
  assert.equal(readFileSync(stage.at('skills/sibling/src/index.mjs'), 'utf8'), siblingCode);
  assert.equal(readFileSync(stage.at('skills/sibling/cskill.md'), 'utf8'), codeText('sibling'));
  assert.equal(readFileSync(stage.at('skills/attack/cskill.md'), 'utf8'), codeText('attack'));
  for (const path of ['added', 'attack-moved', '.generation', 'attack/src/PWNED.mjs'])
    assert.ok(!existsSync(stage.at(`skills/${path}`)), path);
}
