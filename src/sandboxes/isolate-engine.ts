import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join, sep } from 'node:path';
import { reasonLine } from '../core/crash-reason.ts';
import { packageFolder } from '../core/package-files.ts';
import { AgentError } from '../core/error.ts';

const require = createRequire(import.meta.url);

// The optional package whose engine runs snippets, and the one that it loads its machine code with.
const [engine, loader] = ['isolated-vm', 'node-gyp-build'];

/** The engine that runs snippets. */
export interface Engine {
  readonly file: string;
  /** All that it reads to load itself. */
  readonly read: readonly string[];
}

/** Finds the engine without loading it; throws `sandbox.unavailable` when it is not installed. */
export function findEngine(): Engine {
  const file = findFile();
  const { resolve } = createRequire(file);
  const links = (resolve.paths(loader) ?? []).map((folder) => join(folder, loader)); // some installers link packages
  try {
    const real = dirname(resolve(loader));
    return { file, read: [dirname(file), real, ...links.filter((link) => existsSync(link))] };
  } catch (thrown) {
    throw unfitEngine(reasonLine(thrown));
  }
}

function findFile(): string {
  try {
    return require.resolve(engine);
  } catch (thrown) {
    throw new AgentError(
      'sandbox.unavailable',
      `Snippets cannot run: the optional package ${engine} is not installed.`,
      {
        hint: installHint(packageFolder()),
        details: { package: engine },
        cause: thrown,
      },
    );
  }
}

/** That the engine is installed and does not load, as after a change of Node: its machine code fits one version only. */
export function unfitEngine(reason: string): AgentError {
  const system = `Node ${process.versions.node} on ${process.platform} ${process.arch}`;
  const { folder, flag } = projectOf(packageFolder());
  return new AgentError(
    'sandbox.unavailable',
    `Snippets cannot run: the optional package ${engine} does not load: ${reason}`,
    {
      hint: `Build it in ${folder} for ${system}, which needs Python and a C++ compiler: npm rebuild${flag} ${engine}`,
      details: { package: engine },
    },
  );
}

/** How to install the engine where the package in this folder finds it, in the version that it was tested with. */
export function installHint(root: string): string {
  const { optionalDependencies = {} } = require(join(root, 'package.json')) as {
    readonly optionalDependencies?: Readonly<Record<string, string>>;
  };
  const { folder, flag } = projectOf(root);
  const version = optionalDependencies[engine];
  return `Install it in ${folder}: npm install${flag} ${engine}${version === undefined ? '' : `@${version}`}`;
}

/** The project that a package is installed in, which is the package itself in a clone; npm has a flag for those that belong to none. */
function projectOf(root: string): { readonly folder: string; readonly flag: '' | ' --global' } {
  const at = root.indexOf(`${sep}node_modules${sep}`);
  const folder = at < 0 ? root : root.slice(0, at) || sep;
  return { folder, flag: existsSync(join(folder, 'package.json')) ? '' : ' --global' };
}
