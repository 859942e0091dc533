import { cancelStep, failStep, type CommandIndex, type SopResult } from '../../src/engines/sop/command.ts';
import type { StepValue } from '../../src/engines/sop/plan-run.ts';
import type { Json } from '../../src/core/json.ts';
import { textOf } from '../support/text-of.ts';

/** An execution as the hosts of the older language receive it. */
export interface Payload {
  readonly command: string;
  readonly args: readonly Json[];
  readonly variable: string;
  readonly lineNumber: number;
  readonly comment: string | undefined;
}

/** The functions by which such a host reports an outcome. */
export interface Responder {
  success(value: unknown): SopResult;
  fail(reason: string): SopResult;
  cancel(reason: string): SopResult;
}

/** A host of the older language: a list of names, and one function for all of them. */
export interface PeerHost {
  listCommands(): readonly string[];
  executeCommand(payload: Payload, responder: Responder): SopResult | Promise<SopResult>;
  /** The executed commands, in order. */
  readonly executed: readonly string[];
}

/** Creates a host with a few typical commands. */
export function createPeerHost(more: Readonly<Record<string, Command>> = {}): PeerHost {
  const all = { ...commands, ...more };
  const executed: string[] = [];
  return {
    executed,
    listCommands: () => Object.keys(all),
    executeCommand(payload, responder) {
      executed.push(`${payload.variable} ${payload.command}`);
      return all[payload.command]?.(payload, responder);
    },
  };
}

/** Adapts a host to this project's plans. */
export function commandsOf(host: PeerHost): CommandIndex {
  const responder: Responder = {
    success: (value) => value as SopResult,
    fail: (message) =>
      failStep({ code: 'skill.failed', message: message === '' ? 'unknown failure' : message }),
    cancel: cancelStep,
  };
  return {
    names: () => host.listCommands(),
    find: (name) =>
      host.listCommands().includes(name)
        ? {
            name,
            run: ({ command, arguments: args, variable, line, comment }) =>
              host.executeCommand({ command, args, variable, lineNumber: line, comment }, responder),
          }
        : undefined,
  };
}

/**
 * Returns a value in the older public form: the value itself, or its status with the reason or, if that is in
 * another step, the origin.
 */
export function publicForm(name: string, value: StepValue | undefined): Json {
  if (value === undefined) return 'missing';
  if (value.status === 'success') return value.value;
  const isOwn = value.origin === name;
  if (value.status === 'fail') return `fail:${value.error.message}`;
  return `${value.status}:${isOwn ? value.reason : value.origin}`;
}

type Command = (payload: Payload, responder: Responder) => SopResult | Promise<SopResult>;

const commands: Readonly<Record<string, Command>> = {
  echo: ({ args }, { success }) => success(args.map(textOf).join(' ')),
  upper: ({ args }, { success }) => success(args.map(textOf).join(' ').toUpperCase()),
  args: ({ args }, { success }) => success(args),
  count: ({ args }, { success }) => success(args.length),
  record: ({ args }, { success }) => success({ name: args[0] ?? null, tags: args.slice(1) }),
  'name-of': ({ args }, { success }) => success((args[0] as { readonly name: string }).name),
  note: ({ comment }, { success }) => success(comment ?? 'none'),
  line: ({ lineNumber }, { success }) => success(lineNumber),
  check: ({ args }, { success, cancel }) =>
    args[0] === 'no' ? cancel('not wanted') : success(args[0] ?? ''),
  refuse: ({ args }, { fail }) => fail(args.map(textOf).join(' ')),
  boom: ({ args }) => Promise.reject(new Error(args.map(textOf).join(' '))),
  silent: () => undefined,
  malformed: () => (() => 'not a value') as unknown as SopResult,
};
