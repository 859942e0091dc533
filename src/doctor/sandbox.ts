import { existsSync, readFileSync } from 'node:fs';
import type { Containment } from '../config/sandbox-report.ts';
import { isJsonObject, optional } from '../core/index.ts';
import type { CheckResult, Examined } from './report.ts';

/** What keeps the processes of skills from all that they were not granted, and how to get it where nothing does. */
export function checkContainment({ containment, settings }: Examined): CheckResult {
  const described = describeContainment(containment, lookAtMachine());
  const isMissed = containment.kind === 'none' && settings.sandbox === 'required';
  return isMissed ? { ...described, status: 'fail' } : described;
}

/** The same for any machine; pure. */
export function describeContainment(found: Containment, machine: SandboxMachine): CheckResult {
  if (found.kind === 'none') {
    return {
      id: 'containment',
      status: 'warn',
      summary: `none: ${found.reason}`,
      details: [
        'Everything that would start a process asks first, every time, and says that it is unsandboxed; with the setting sandbox at "required" it is refused.',
        ...adviseOnContainment(machine),
      ],
      hint: found.hint,
    };
  }
  return {
    id: 'containment',
    status: 'ok',
    summary: `bubblewrap ${found.version}, proven by running it`,
    details: [
      'memory and processes of a whole command: limited, by a look at them many times a second',
      'network: none, or the hosts that were granted, through a proxy',
    ],
  };
}

/** What decides whether processes can be contained on a machine. */
export interface SandboxMachine {
  readonly platform: NodeJS.Platform;
  readonly isRoot: boolean;
  readonly isContainer: boolean;
  /** Settings of the kernel that are in the way, as `sysctl` names them. */
  readonly sysctl: Readonly<Record<string, string | undefined>>;
}

const settings = [
  'kernel.apparmor_restrict_unprivileged_userns',
  'kernel.unprivileged_userns_clone',
  'user.max_user_namespaces',
];

/** This machine, as far as files tell. */
export function lookAtMachine(): SandboxMachine {
  return {
    platform: process.platform,
    isRoot: process.getuid?.() === 0,
    isContainer: ['/.dockerenv', '/run/.containerenv'].some((file) => existsSync(file)),
    sysctl: Object.fromEntries(settings.map((name) => [name, valueOf(name)])),
  };
}

/** What is in the way of containment, each with what to do about it; pure. */
export function adviseOnContainment({
  platform,
  isRoot,
  isContainer,
  sysctl,
}: SandboxMachine): readonly string[] {
  if (platform === 'darwin') return ['macOS: there is no containment here yet.'];
  if (platform !== 'linux') return [`${platform}: there is no containment here; on Windows use WSL 2.`];
  const advice: string[] = [];
  if (sysctl['kernel.apparmor_restrict_unprivileged_userns'] === '1' && !isRoot) {
    advice.push(
      'AppArmor keeps programs from making namespaces, as Ubuntu does since 24.04: give /usr/bin/bwrap a profile with "userns,", or run: sudo sysctl -w kernel.apparmor_restrict_unprivileged_userns=0',
    );
  }
  if (sysctl['kernel.unprivileged_userns_clone'] === '0' && !isRoot) {
    advice.push(
      'The kernel keeps users from making namespaces: sudo sysctl -w kernel.unprivileged_userns_clone=1',
    );
  }
  if (sysctl['user.max_user_namespaces'] === '0') {
    advice.push('The kernel allows no namespaces at all: sudo sysctl -w user.max_user_namespaces=10000');
  }
  if (isContainer) {
    advice.push(
      'This is a container, and most forbid namespaces: start it with --security-opt seccomp=unconfined --security-opt systempaths=unconfined (Docker, Podman), and --security-opt apparmor=unconfined where there is AppArmor.',
    );
  }
  return advice;
}

function valueOf(setting: string): string | undefined {
  try {
    return readFileSync(`/proc/sys/${setting.replaceAll('.', '/')}`, 'utf8').trim();
  } catch {
    return undefined; // this kernel has no such setting
  }
}

/** Whether the code of a skill runs here, found out by running some. */
export function checkCodeWorker({ code: { fault, isSandboxed = false } }: Examined): CheckResult {
  const id = 'code-worker';
  if (fault === undefined) {
    const where = isSandboxed ? 'in a sandbox' : 'without a sandbox';
    return {
      id,
      status: 'ok',
      summary: `runs the code of skills ${where}, proven by running it`,
      details: [],
    };
  }
  const { message, hint } = fault;
  const summary = 'the code of skills does not run here';
  return { id, status: 'fail', summary, details: [message], ...optional('hint', hint) };
}

/** Whether a snippet runs here, found out by running one; that the optional package for it is missing is only a warning. */
export function checkSnippets({ snippets: { fault } }: Examined): CheckResult {
  const id = 'snippets';
  if (fault === undefined)
    return { id, status: 'ok', summary: 'run in an isolate, proven by running one', details: [] };
  const { message, hint, details } = fault;
  const isOptional = isJsonObject(details) && details['package'] !== undefined;
  return {
    id,
    status: isOptional ? 'warn' : 'fail',
    summary: 'code that a model writes for one call does not run here',
    details: [message, ...(isOptional ? ['Skills without such code work as they are.'] : [])],
    ...optional('hint', hint),
  };
}
