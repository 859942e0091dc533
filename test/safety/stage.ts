import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import type { AgentOptions } from '../../src/agent/options.ts';
import { RecursiveSkilledAgent } from '../../src/config/preset.ts';
import { skillText, tree, type Tree } from '../support/tree.ts';
import type { Diagnosed } from './case.ts';
import { footprintNow, footprintOf, readSince, type Footprint } from './footprint.ts';

/** Variables of this process that were not granted. The name of `plain` does not mark it as a secret. */
export const secrets = {
  AWS_SECRET_ACCESS_KEY: 'canary/aws+9f27c1d0e6b84a53',
  GITHUB_TOKEN: 'canary_github_51e0b7a94cd2',
  CANARY_WORD: 'plain-canary-3c80d91e',
} as const;

/** A text in the files outside the workspace. */
export const outsideText = 'canary-outside-b61f04';

/** The environment of one case: a workspace, a home, and files outside that nothing may touch. */
export interface Stage extends Disposable {
  readonly workspace: string;
  readonly home: string;
  readonly outside: string;
  /** Returns the absolute path of a file in the workspace. */
  at(path: string): string;
  /** Writes a file in the workspace. */
  write(path: string, text: string | Uint8Array): string;
  /** Writes a file next to the workspace, before the case starts. */
  writeOutside(path: string, text: string): string;
  /** Writes a file in the user's home, before the case starts. */
  writeHome(path: string, text: string): string;
  /** From here on, everything outside the workspace must stay unchanged and, unless it is readable, unread. */
  settle(how?: 'readable'): void;
  /** Creates an agent whose project is the workspace. */
  agent(options?: AgentOptions): RecursiveSkilledAgent;
  /** Fails if anything outside was changed or read, or if a file `PWNED` exists. */
  check(diagnosed: Diagnosed | undefined): Promise<void>;
}

/** Creates a stage with a harmless skill `witness`. */
export function createStage(): Stage {
  const files = tree({
    'workspace/.agents/skills/witness/SKILL.md': skillText('witness'),
    'workspace/inside.txt': 'inside\n',
    'home/.cache/skilled/.keep': '',
    'home/.skilled/.keep': '',
    'home/.profile': `export SECRET=${outsideText}\n`,
    'outside/secret.txt': `${outsideText}\n`,
    'outside/SKILL.md': skillText('stranger', outsideText),
    'outside/bundle/SKILL.md': skillText('stray', outsideText),
    'outside/etc/passwd': `${outsideText}:x:0:0\n`,
  });
  const before = { ...process.env };
  Object.assign(process.env, secrets, { HOME: files.at('home') });
  const own = prototypes();
  let prints: readonly Footprint[] = [];
  let isReadable = false;
  const agent: Stage['agent'] = (options = {}) => new RecursiveSkilledAgent({ ...quiet(files), ...options });
  return {
    workspace: files.at('workspace'),
    home: files.at('home'),
    outside: files.at('outside'),
    at: (path) => files.at('workspace', path),
    write: (path, text) => files.write(`workspace/${path}`, text),
    writeOutside: (path, text) => files.write(`outside/${path}`, text),
    writeHome: (path, text) => files.write(`home/${path}`, text),
    settle: (how) => {
      isReadable = how === 'readable';
      prints = ['outside', 'home'].map((folder) => footprintOf(files.at(folder)));
    },
    agent,
    async check(diagnosed) {
      assert.notEqual(prints.length, 0, 'the stage was never settled');
      for (const print of prints) {
        const read = readSince(print).filter((path) => !path.startsWith(files.at('home/.skilled'))); // its own settings
        assert.deepEqual(isReadable ? [] : read, [], 'something outside was read');
        assert.deepEqual(footprintNow(Object.keys(print)[0] ?? ''), print, 'something outside changed');
      }
      assert.ok(!existsSync(files.at('workspace/PWNED')), 'PWNED');
      assert.deepEqual(prototypes(), own, 'a prototype was polluted');
      assert.deepEqual({ ...process.env }, { ...before, ...secrets, HOME: files.at('home') });
      await checkAlive(agent());
      checkIssues(diagnosed);
    },
    [Symbol.dispose]: () => {
      for (const name of Object.keys(process.env)) Reflect.deleteProperty(process.env, name);
      Object.assign(process.env, before);
      files[Symbol.dispose]();
    },
  };
}

function quiet(files: Tree): AgentOptions {
  const models = { model: () => undefined }; // none, even if API keys exist
  return { startDir: files.at('workspace'), searchUpwards: false, embeddings: false, models };
}

/** Returns the properties of the prototypes that all objects share. */
function prototypes(): readonly (readonly (string | symbol)[])[] {
  return [Object.prototype, Array.prototype, Function.prototype, String.prototype].map((one) =>
    Reflect.ownKeys(one),
  );
}

async function checkAlive(agent: RecursiveSkilledAgent): Promise<void> {
  assert.equal(agent.skills.get('witness')?.status, 'ready');
  const { text } = await agent.run({ skill: 'read', input: { file_path: 'inside.txt' } }).result;
  assert.match(text, /inside/);
  await agent.shutdown();
}

function checkIssues({ issues, files }: Diagnosed = { issues: [], files: [] }): void {
  for (const file of files)
    assert.ok(
      issues.some((issue) => issue.file === file),
      `no finding names ${file}: ${JSON.stringify(issues)}`,
    );
}
