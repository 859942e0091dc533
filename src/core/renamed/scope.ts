import { acceptRenamed, renamedMembers } from './renamed.ts';
import type { CallOptions, Scope } from '../scope.ts';

const scopeNames = {
  runId: 'run.id',
  frameId: 'run.frameId',
  depth: 'run.depth',
  session: 'run.session',
  roles: 'run.roles',
  idempotencyKey: 'run.idempotencyKey',
  wanted: 'request.overrides',
  stdin: 'request.stdin',
  callable: 'skills.callable',
  listed: 'skills.listed',
  lookUp: 'skills.lookUp',
  isLoadable: 'skills.isLoadable',
  find: 'skills.find',
  catalog: 'skills.catalog',
  inject: 'skills.inject',
  provide: 'skills.provide',
  workspace: 'files.workspace',
  readable: 'files.readable',
  sandbox: 'processes.sandbox',
  runCode: 'processes.runCode',
  runSnippet: 'processes.runSnippet',
  keep: 'resources.open',
  database: 'resources.database',
  servers: 'resources.servers',
  server: 'resources.server',
  heard: 'history',
  vouch: 'attest',
};

const earlierMembers = Object.defineProperties({}, renamedMembers(scopeNames, 'scope'));
const earlierRequestMembers = renamedMembers({ wanted: 'overrides' }, 'scope.request');

/** Returns a scope that also supports the names of release 0.1, with a warning. */
export function withEarlierNames(scope: Omit<Scope, keyof typeof scopeNames>): Scope {
  Object.defineProperties(scope.request, earlierRequestMembers);
  return Object.setPrototypeOf(scope, earlierMembers) as Scope;
}

const callNames = { through: 'mode', wanted: 'overrides', leaveOnly: 'permissionOnly' };

/** Renames a call's options to their current names. */
export function acceptCallOptions(options: CallOptions | undefined): CallOptions | undefined {
  return options && acceptRenamed(options, callNames, 'CallOptions');
}
