import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, readFileSync, symlinkSync } from 'node:fs';
import { dirname, join } from 'node:path';

const root = join(import.meta.dirname, '..');

/**
 * Packs the current project and installs the package below a folder in the same way as users do. Returns the
 * package's folder.
 */
export function installPacked(folder: string): string {
  const project = copyProject(join(folder, 'project'));
  execFileSync(process.execPath, ['scripts/build.js'], {
    cwd: project,
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  const flags = ['--json', '--ignore-scripts', '--loglevel=error', '--pack-destination', folder];
  const [packed] = JSON.parse(
    execFileSync('npm', ['pack', ...flags], { cwd: project, encoding: 'utf8' }),
  ) as {
    readonly filename: string;
  }[];
  const modules = join(folder, 'user', 'node_modules');
  const target = join(modules, 'skilled');
  mkdirSync(target, { recursive: true });
  execFileSync('tar', ['-xzf', join(folder, packed?.filename ?? ''), '-C', target, '--strip-components=1']);
  linkDependencies(modules);
  return target;
}

/** Copies the project, so that the project's own build is neither required nor changed. */
function copyProject(target: string): string {
  const left = ['node_modules', '.git', 'dist', 'coverage', 'test', 'bench'].map((name) => join(root, name));
  cpSync(root, target, { recursive: true, filter: (source) => !left.includes(source) });
  symlinkSync(join(root, 'node_modules'), join(target, 'node_modules'));
  return target;
}

function linkDependencies(modules: string): void {
  const manifest = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as Record<string, object>;
  for (const name of Object.keys({ ...manifest['dependencies'], ...manifest['optionalDependencies'] })) {
    mkdirSync(dirname(join(modules, name)), { recursive: true });
    symlinkSync(join(root, 'node_modules', name), join(modules, name));
  }
}
