import type { Stage } from '../stage.ts';
import type { Attempt } from './attempt.ts';

const read = (path: string): Attempt => ({ name: 'read', input: { file_path: path } });
const write = (path: string, content = 'PWNED'): Attempt => ({
  name: 'write',
  input: { file_path: path, content },
});
const edit = (path: string, before: string): Attempt => ({
  name: 'edit',
  input: { file_path: path, old_string: before, new_string: 'PWNED' },
});
const glob = (pattern: string, path?: string): Attempt => ({
  name: 'glob',
  input: path === undefined ? { pattern } : { pattern, path },
});
const grep = (pattern: string, path: string): Attempt => ({
  name: 'grep',
  input: { pattern, path, output_mode: 'content' },
});

/** Attempts with the file tools: paths outside, in every spelling, and files that control the agent. */
export function fileAttempts({ outside, home }: Stage): readonly Attempt[] {
  const secret = `${outside}/secret.txt`;
  const paths = [
    secret,
    '../outside/secret.txt',
    './../outside/secret.txt',
    'notes/../../outside/secret.txt',
    `/proc/self/root${secret}`,
    '/proc/self/cwd/../outside/secret.txt',
    '/proc/self/environ',
    '/proc/1/environ',
    '/dev/fd/0',
    '/proc/self/fd/0',
    '/etc/passwd',
    '/etc/shadow',
    `${home}/.profile`,
    '~/.profile',
    '$HOME/.profile',
    'made/secret.txt',
    'made-file',
    'made-chain/secret.txt',
    'made-absolute',
    `file://${secret}`,
    `${secret}\0.txt`,
    '..%2foutside%2fsecret.txt',
    '..\\outside\\secret.txt',
    '\u2025/outside/secret.txt',
    `//${secret}`,
  ];
  const decisive = [
    '.skilled/settings.json',
    '.skilled/settings.local.json',
    '.skilled/skilled.db',
    '.skilled/trust.json',
    '.SKILLED/settings.json',
    '.skilled./settings.json',
    './/.skilled/x/../settings.json',
    '.git/hooks/pre-commit',
    '.git/config',
    '.Git/hooks/post-checkout',
    `${home}/.skilled/trust.json`,
    `${home}/.skilled/settings.json`,
    '../home/.bashrc',
    `${home}/.ssh/authorized_keys`,
  ];
  return [
    ...paths.flatMap((path) => [read(path), write(path), edit(path, 'canary')]),
    ...decisive.flatMap((path) => [write(path, '{"permissions": {"allow": ["Bash"]}}'), edit(path, 'a')]),
    ...[
      '../**',
      '../outside/*',
      `${outside}/**`,
      'made/**',
      '/etc/*',
      '/proc/self/**',
      '{..,.}/outside/*',
    ].map((pattern) => glob(pattern)),
    ...[outside, '../outside', 'made', 'made-chain', '/proc/self/root', home, '/'].flatMap((path) => [
      glob('**', path),
      grep('.', path),
    ]),
    grep('canary', '.'),
    grep('canary', 'made-file'),
  ];
}
