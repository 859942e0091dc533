import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import type { AgentOptions } from '../../src/agent/options.ts';
import type { RecursiveSkilledAgent } from '../../src/config/preset.ts';
import type { Json, JsonObject } from '../../src/core/json.ts';
import { codeText } from './attempts/code.ts';
import type { Stage } from './stage.ts';
import { strictPolicy } from './strict-policy.ts';

/** Writes a skill with this code, and another one that must stay unchanged. */
export function plant(stage: Stage, code: string, head = ''): void {
  stage.write('skills/attack/cskill.md', codeText('attack', head));
  stage.write('skills/attack/src/index.mjs', code);
  stage.write('skills/sibling/cskill.md', codeText('sibling'));
  stage.write('skills/sibling/src/index.mjs', siblingCode);
}

const siblingCode = 'export const action = () => "untouched";\n';

/** Creates an agent that trusts the skills of the workspace, because its host names them. */
export function trusting(stage: Stage, options: AgentOptions = {}): RecursiveSkilledAgent {
  return stage.agent({ additionalSkillRoots: [stage.at('skills')], policy: strictPolicy([]), ...options });
}

/** Returns the folders that attempts use. */
export function foldersOf({ workspace, home, outside, at }: Stage): JsonObject {
  return { workspace, home, outside, own: at('skills/attack'), sibling: at('skills/sibling') };
}

/** The outcomes of attempts. */
export type Outcomes = Readonly<Record<string, readonly [isDone: boolean, text: string]>>;

/** Reads the outcomes from an attacking module's value. */
export function outcomes(value: Json | undefined): Outcomes {
  assert.ok(typeof value === 'object' && value !== null, JSON.stringify(value));
  return value as unknown as Outcomes;
}

/** Fails if an attempt succeeded. */
export function checkRefused(results: Outcomes): void {
  const done = Object.entries(results).filter(([, [isDone]]) => isDone);
  assert.deepEqual(done, []);
  assert.ok(Object.keys(results).length > 5);
}

/** Fails unless both skills are unchanged and only the expected files are next to them. */
export function checkPlanted(stage: Stage, expected: readonly string[] = []): void {
  assert.equal(readFileSync(stage.at('skills/sibling/src/index.mjs'), 'utf8'), siblingCode);
  assert.equal(readFileSync(stage.at('skills/sibling/cskill.md'), 'utf8'), codeText('sibling'));
  assert.match(readFileSync(stage.at('skills/attack/cskill.md'), 'utf8'), /^---\nname: attack\n/);
  for (const path of ['added', 'attack-moved', '.generation', 'attack/src/PWNED.mjs'])
    assert.ok(expected.includes(path) || !existsSync(stage.at(`skills/${path}`)), path);
}
