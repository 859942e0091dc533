import { arch } from 'node:process';
import { createReusableFile, type ReusableFile } from './reusable-file.ts';
import { buildSyscallFilter } from './syscall-filter.ts';

/** Who processes in a sandbox are, whoever runs them. */
export const insideUser = { name: 'user', id: '1000', home: '/tmp/home' };

/** Something that bubblewrap reads from a handle: its arguments, with the number of the handle between them. */
export interface PrivateFile {
  readonly file: ReusableFile;
  buildArguments(handle: number): readonly string[];
}

let made: readonly PrivateFile[] | undefined;

/** The files of every sandbox that come from nowhere on this machine; made once. */
export function privateFiles(): readonly PrivateFile[] {
  made ??= [...Object.entries(texts).map(([path, text]) => placed(path, text)), ...filter()];
  return made;
}

function placed(path: string, text: string): PrivateFile {
  const file = createReusableFile(Buffer.from(text));
  return { file, buildArguments: (handle) => ['--perms', '0444', '--file', String(handle), path] };
}

function filter(): readonly PrivateFile[] {
  const program = buildSyscallFilter(arch);
  if (program === undefined) return [];
  return [{ file: createReusableFile(program), buildArguments: (handle) => ['--seccomp', String(handle)] }];
}

const { name, id, home } = insideUser;

const texts: Readonly<Record<string, string>> = {
  '/etc/passwd': [
    'root:x:0:0:root:/root:/usr/sbin/nologin',
    `${name}:x:${id}:${id}:${name}:${home}:/bin/sh`,
    'nobody:x:65534:65534:nobody:/nonexistent:/usr/sbin/nologin\n',
  ].join('\n'),
  '/etc/group': `root:x:0:\n${name}:x:${id}:\nnogroup:x:65534:\n`,
  '/etc/hosts': '127.0.0.1 localhost\n::1 localhost\n',
};
