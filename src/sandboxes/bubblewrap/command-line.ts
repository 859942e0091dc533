import { release } from 'node:os';
import { basename, join } from 'node:path';
import type { Grant, SandboxLimits } from '../../core/index.ts';
import type { Network } from '../network/network.ts';
import type { ProgramFolders } from '../programs/program-search.ts';
import type { GrantedFolders } from './grant-mounts.ts';
import { insideUser } from './private-files.ts';
import { buildNodeMounts, hostNames, systemMounts } from './system-mounts.ts';

/** The numbers of the file handles that bubblewrap inherits and passes to the script. */
export const handles = {
  complaints: 2,
  control: 3,
  arguments: 4,
  stdout: 5,
  stderr: 6,
  stdin: 7,
  channel: 8,
} as const;

/** The first free handle number. Files and folders to mount use this number and higher ones. */
export const firstFreeHandle = 9;

const openFiles = 4096;

/** The maximum average number of threads per process. A Node process needs fewer. */
export const threadsPerProcess = 16;

// Since Linux 5.14, a user's process limit applies per namespace. Older kernels also count host processes.
const [major = 0, minor = 0] = release().split('.').map(Number);
const countsPerSandbox = major > 5 || (major === 5 && minor >= 14);

/**
 * Builds the script that runs a command in a sandbox. It works in any `sh`. The script first reports
 * whether the program exists. It then waits for the line `go`, so that nothing starts if the host has died.
 * When the command has ended, the script reports the exit code and whether other processes are still
 * running. Finally, it closes its output and waits until the host kills the sandbox. The script's first
 * argument is the program to look for, and the other arguments are the command. If the command has a
 * channel, it is file descriptor 3 of the command. Otherwise, file descriptor 3 is closed. Variables whose
 * names are invalid in a shell are not passed to the command.
 */
export function buildScript({ diskBytes, processes }: SandboxLimits, hasChannel: boolean): string {
  const threads = processes * threadsPerProcess;
  return `
unset -f ulimit command read echo trap set
ulimit -c 0
ulimit -f ${Math.ceil(diskBytes / 512)}
ulimit -n ${openFiles}
${countsPerSandbox ? `{ ulimit -u ${threads} || ulimit -p ${threads}; } 2>/dev/null` : ''}
sought=$1
shift
case $sought in
*/*)
  if [ ! -e "$sought" ]; then found=missing
  elif [ -d "$sought" ] || [ ! -x "$sought" ]; then found=unfit
  else found=ready; fi ;;
*) if command -v "$sought" >/dev/null; then found=ready; else found=missing; fi ;;
esac
echo $found >&3
read -r go <&3 || exit
unset sought found go
trap : TERM
(exec "$@" <&7 >&5 2>&6 3>&${hasChannel ? '8' : '-'} 5>&- 6>&- 7<&- 8>&-)
code=$?
exec 5>&- 6>&- 7<&- 8>&-
set -- /proc/[0-9]*
if [ $# -eq 2 ]; then left=nobody; else left=others; fi
echo $code $left >&3
read -r go <&3
`;
}

/** The arguments of every sandbox. They give it its own namespaces and drop all capabilities. */
export const fixedArguments: readonly string[] = [
  ...['--unshare-all', '--unshare-user', '--disable-userns', '--cap-drop', 'ALL'],
  ...['--die-with-parent', '--new-session', '--hostname', 'sandbox'],
  ...['--uid', insideUser.id, '--gid', insideUser.id],
  ...['--args', String(handles.arguments)],
];

/** The parts of a sandbox from which bubblewrap's arguments are built. */
interface SandboxParts {
  readonly grant: Grant;
  readonly network: Network | undefined;
  /** The host folder to mount as `/tmp`. If undefined, `/tmp` is in memory. */
  readonly temporary: string | undefined;
  readonly programs?: Pick<ProgramFolders, 'environment' | 'homeFiles'>;
}

/** The open folders of a sandbox, and the folders in them that appear empty. */
interface SandboxFolders extends Pick<GrantedFolders, 'folders' | 'links'> {
  readonly emptied?: readonly string[];
}

/**
 * Builds bubblewrap's arguments for a grant. bubblewrap must read them from a file handle, because other
 * users of the machine can see the command lines of all processes.
 */
export function buildArguments(
  { grant, network, temporary, programs }: SandboxParts,
  { folders, links, emptied = [] }: SandboxFolders,
  handleOf: (index: number) => number,
): readonly string[] {
  const isShared = grant.hosts.includes('*');
  const shown = folders.map(({ path }) => path);
  return [
    ...(isShared ? ['--share-net'] : []),
    ...systemMounts(isShared || network !== undefined),
    ...(isShared ? hostNames : []),
    ...buildOwnFolders(grant, temporary),
    ...folders.flatMap(({ path, isWritable }, index) => [
      ...[isWritable ? '--bind-fd' : '--ro-bind-fd', String(handleOf(index)), path],
    ]),
    // Limit the size instead of making the folder read-only, because a remount takes as long as another
    // mount.
    ...emptied.flatMap((path) => ['--size', '1', '--perms', '0000', '--tmpfs', path]),
    ...links.flatMap(({ path, target }) => ['--symlink', target, path]),
    ...homeLinks(programs?.homeFiles),
    ...buildNodeMounts(shown),
    ...(network?.bind ?? []),
    ...['/dev', '/proc', '/'].flatMap((path) => ['--remount-ro', path]),
    ...Object.entries(environmentOf(grant, network, programs)).flatMap(([name, value]) => [
      '--setenv',
      name,
      value,
    ]),
  ];
}

/**
 * Returns the folders that a sandbox keeps in memory, except those replaced by a granted folder at the same
 * path.
 */
export function memoryFoldersOf(
  { folders }: Pick<GrantedFolders, 'folders'>,
  temporary: string | undefined,
): readonly string[] {
  const own = temporary === undefined ? ['/tmp', '/dev/shm'] : ['/dev/shm'];
  return own.filter((folder) => !folders.some(({ path }) => path === folder));
}

function buildOwnFolders(grant: Grant, temporary: string | undefined): readonly string[] {
  const size = String(temporaryBytes(limitsOf(grant)));
  return [
    ...['--proc', '/proc', '--dev', '/dev', '--size', String(sharedMemoryBytes), '--tmpfs', '/dev/shm'],
    ...(temporary === undefined ? ['--size', size, '--tmpfs', '/tmp'] : ['--bind', temporary, '/tmp']),
    ...['--dir', insideUser.home],
    ...['--symlink', '/tmp', '/var/tmp', '--dir', '/run'],
  ];
}

function homeLinks(paths: readonly string[] = []): readonly string[] {
  return paths.flatMap((path) => ['--symlink', path, join(insideUser.home, basename(path))]);
}

function environmentOf(
  grant: Grant,
  network: Network | undefined,
  programs: SandboxParts['programs'],
): Readonly<Record<string, string>> {
  const own = { HOME: insideUser.home, TMPDIR: '/tmp', USER: insideUser.name };
  return { ...programs?.environment, ...grant.environment, ...network?.environment, ...own };
}

const mebibyte = 1 << 20;

/** The default limits. The limits on memory and processes apply to all processes of a command together. */
const defaultLimits: SandboxLimits = {
  memoryBytes: 1024 * mebibyte,
  processes: 256,
  diskBytes: 1024 * mebibyte,
};

/** The maximum size of the files in `/dev/shm`, in bytes. */
const sharedMemoryBytes = 64 * mebibyte;

/** Returns the limits of a grant. Uses the defaults for limits that the grant omits. */
export function limitsOf({ limits }: Pick<Grant, 'limits'>): SandboxLimits {
  return { ...defaultLimits, ...limits };
}

/**
 * Returns the maximum size of the private `/tmp` in bytes. It is at most half of the memory limit, because
 * the folder is in memory and processes need the other half.
 */
function temporaryBytes({ memoryBytes, diskBytes }: SandboxLimits): number {
  return Math.min(diskBytes, Math.ceil(memoryBytes / 2));
}
