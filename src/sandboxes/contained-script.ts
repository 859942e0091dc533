import { release } from 'node:os';
import type { SandboxLimits } from '../core/sandbox.ts';

/** The numbers of the handles that the script, and bubblewrap before it, find open. */
export const handles = {
  ...{ complaints: 2, control: 3, arguments: 4 },
  ...{ stdout: 5, stderr: 6, stdin: 7, channel: 8 },
} as const;

/** The first number that is left for files and folders. */
export const firstFreeHandle = 9;

const openFiles = 4096;

/** Threads that each process may have where only threads can be counted: as many as Node has, and more. */
export const threadsPerProcess = 16;

// Since Linux 5.14 the processes of a user are counted for each namespace; before, those of the host would count too.
const [major = 0, minor = 0] = release().split('.').map(Number);
const countsPerSandbox = major > 5 || (major === 5 && minor >= 14);

/**
 * What runs a command in a sandbox, for any `sh`. It says what it finds, begins when it is told to, so that nothing
 * begins for somebody who has died meanwhile, and tells the exit code and whether anybody is left. Then it waits to be
 * killed with all of them, and holds none of the output open. Its first word is the program to look for, the others are
 * the command, which finds a channel as its handle 3 or nothing. Like any shell it leaves out variables whose names are
 * none for it.
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
