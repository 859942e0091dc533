import { existsSync, readFileSync } from 'node:fs';
import type { SandboxSupport } from '../config/sandbox-report.ts';
import { isJsonObject, optional } from '../core/index.ts';
import type { CheckResult, Examined } from './report.ts';

/** Reports which sandbox limits skill processes to granted resources, or how to set up a sandbox. */
export function checkSandboxSupport({ sandboxSupport, settings }: Examined): CheckResult {
  const described = describeSandboxSupport(sandboxSupport, lookAtMachine());
  const isMissed = sandboxSupport.kind === 'none' && settings.sandbox === 'required';
  return isMissed ? { ...described, status: 'fail' } : described;
}

/** Describes a machine's sandbox support. Pure. */
export function describeSandboxSupport(found: SandboxSupport, machine: SandboxMachine): CheckResult {
  if (found.kind === 'none') {
    return {
      id: 'containment',
      status: 'warn',
      summary: `none: ${found.reason}`,
      details: [
        'Every action that starts a process needs your approval each time, because it runs without a sandbox. If the setting "sandbox" is "required", such actions are refused.',
        ...adviseOnSandbox(machine),
      ],
      hint: found.hint,
    };
  }
  return {
    id: 'containment',
    status: 'ok',
    summary: `bubblewrap ${found.version}, verified by running it`,
    details: [
      'memory and processes of a command: limited, by polling many times a second',
      found.limits === 'cgroup'
        ? 'memory outside processes, such as kernel buffers: limited by the kernel (cgroup)'
        : 'memory outside processes, such as kernel buffers: not limited, because skilled cannot create a cgroup with a memory limit here',
      'network: none, or only granted hosts through a proxy',
    ],
  };
}

/** The properties of a machine that determine whether it can sandbox processes. */
export interface SandboxMachine {
  readonly platform: NodeJS.Platform;
  readonly isRoot: boolean;
  readonly isContainer: boolean;
  /** Kernel settings that can prevent sandboxing, keyed by their `sysctl` names. */
  readonly sysctl: Readonly<Record<string, string | undefined>>;
}

const settings = [
  'kernel.apparmor_restrict_unprivileged_userns',
  'kernel.unprivileged_userns_clone',
  'user.max_user_namespaces',
];

/**
 * Returns the properties that determine whether this machine can sandbox processes. Does not start a process.
 */
export function lookAtMachine(): SandboxMachine {
  return {
    platform: process.platform,
    isRoot: process.getuid?.() === 0,
    isContainer: ['/.dockerenv', '/run/.containerenv'].some((file) => existsSync(file)),
    sysctl: Object.fromEntries(settings.map((name) => [name, valueOf(name)])),
  };
}

/** Returns the obstacles to sandboxing on a machine, each with its remedy. Pure. */
export function adviseOnSandbox({
  platform,
  isRoot,
  isContainer,
  sysctl,
}: SandboxMachine): readonly string[] {
  if (platform === 'darwin') return ['Sandboxing is not supported on macOS yet.'];
  if (platform !== 'linux') return [`${platform}: sandboxing is not supported; on Windows, use WSL 2.`];
  const advice: string[] = [];
  if (sysctl['kernel.apparmor_restrict_unprivileged_userns'] === '1' && !isRoot) {
    advice.push(
      'AppArmor prevents programs from creating namespaces (the default since Ubuntu 24.04): give /usr/bin/bwrap a profile with "userns,", or run: sudo sysctl -w kernel.apparmor_restrict_unprivileged_userns=0',
    );
  }
  if (sysctl['kernel.unprivileged_userns_clone'] === '0' && !isRoot) {
    advice.push(
      'The kernel prevents users from creating namespaces: sudo sysctl -w kernel.unprivileged_userns_clone=1',
    );
  }
  if (sysctl['user.max_user_namespaces'] === '0') {
    advice.push('The kernel allows no namespaces at all: sudo sysctl -w user.max_user_namespaces=10000');
  }
  if (isContainer) {
    advice.push(
      'This is a container, and most containers forbid namespaces. Start it with --security-opt seccomp=unconfined --security-opt systempaths=unconfined (Docker, Podman). Add --security-opt apparmor=unconfined if AppArmor is active.',
    );
  }
  return advice;
}

function valueOf(setting: string): string | undefined {
  try {
    return readFileSync(`/proc/sys/${setting.replaceAll('.', '/')}`, 'utf8').trim();
  } catch {
    return undefined; // The kernel does not have this setting.
  }
}

/** Reports whether skill code can run on this machine, which was tested with sample code. */
export function checkCodeWorker({ code: { fault, isSandboxed = false } }: Examined): CheckResult {
  const id = 'code-worker';
  if (fault === undefined) {
    const where = isSandboxed ? 'in a sandbox' : 'without a sandbox';
    return {
      id,
      status: 'ok',
      summary: `runs skill code ${where}, verified by running it`,
      details: [],
    };
  }
  const { message, hint } = fault;
  const summary = 'skill code does not run here';
  return { id, status: 'fail', summary, details: [message], ...optional('hint', hint) };
}

/**
 * Reports whether snippets can run on this machine, which was tested with a sample snippet. A missing
 * optional package causes only a warning.
 */
export function checkSnippets({ snippets: { fault } }: Examined): CheckResult {
  const id = 'snippets';
  if (fault === undefined)
    return { id, status: 'ok', summary: 'run in an isolate, verified by running one', details: [] };
  const { message, hint, details } = fault;
  const isOptional = isJsonObject(details) && details['package'] !== undefined;
  return {
    id,
    status: isOptional ? 'warn' : 'fail',
    summary: 'snippets (code that a model writes for one call) do not run here',
    details: [message, ...(isOptional ? ['Skills that do not use snippets are not affected.'] : [])],
    ...optional('hint', hint),
  };
}
