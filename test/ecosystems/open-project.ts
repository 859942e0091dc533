import { cpSync, mkdirSync, renameSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import {
  RecursiveSkilledAgent,
  type AgentOptions,
  type Issue,
  type Policy,
  type Skill,
} from '../../src/index.ts';
import { createScriptedModel, type Script, type ScriptedModel } from '../../src/testing/index.ts';
import { tree, type Tree } from '../support/tree.ts';

/** A copy of a fixture project, opened by an agent whose home folder is the fixture's. */
export interface Project extends AsyncDisposable {
  readonly agent: RecursiveSkilledAgent;
  readonly model: ScriptedModel;
  readonly files: Tree;
}

const fixtures = fileURLToPath(new URL('../fixtures/ecosystems/', import.meta.url));

/** Allows everything, so that a test does not depend on approvals. */
const yes: Policy = { decide: () => ({ decision: 'allow' }) };

/**
 * Opens a copy of a fixture. All skills are ready when this returns. With `plugin`, first moves this plugin of
 * the project to the home folder.
 */
export async function openProject(
  name: string,
  options: AgentOptions = {},
  script: Script = [],
  plugin?: string,
): Promise<Project> {
  const files = tree();
  cpSync(join(fixtures, name), files.path, { recursive: true });
  mkdirSync(files.at('home'), { recursive: true });
  if (plugin !== undefined) renameSync(files.at(`project/plugins/${plugin}`), files.at(`home/${plugin}`));
  const home = process.env['HOME'];
  process.env['HOME'] = files.at('home');
  const model = createScriptedModel(script);
  const agent = new RecursiveSkilledAgent({
    startDir: files.at('project'),
    searchUpwards: false,
    userRoots: true,
    embeddings: false,
    models: model,
    policy: yes,
    ...options,
  });
  await agent.ready();
  return {
    agent,
    model,
    files,
    async [Symbol.asyncDispose]() {
      await agent.shutdown();
      if (home === undefined) delete process.env['HOME'];
      else process.env['HOME'] = home;
      files[Symbol.dispose]();
    },
  };
}

/** Returns the project's skills as `source family name`, without those that come with the package. */
export function listed({ agent }: Project): readonly string[] {
  return agent.skills
    .list()
    .filter(({ source }) => source !== 'bundled')
    .map(
      ({ source, family, name, status }) =>
        `${source} ${family} ${name}${status === 'ready' ? '' : ` ${status}`}`,
    )
    .sort();
}

/** Returns the reported issues as `code path`, with the path below the fixture. */
export function reported({ agent, files }: Project): readonly string[] {
  const path = (issue: Issue): string => (issue.file ?? '').slice(files.path.length + 1);
  return agent.skills
    .diagnostics()
    .map((issue) => `${issue.code} ${path(issue)}`)
    .sort();
}

/** Returns a skill by name. */
export function skillOf({ agent }: Project, name: string): Skill {
  return agent.skills.resolve(name);
}
