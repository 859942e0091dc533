export { databaseContract, type DatabaseFixtures } from './database/contract.ts';
export { familyContract, type FamilyFixtures } from './family-contract.ts';
export {
  createScriptedModel,
  type Script,
  type ScriptedModel,
  type ScriptedReply,
  type ScriptedTurn,
} from '../models/scripted.ts';
export { recordModel, type ModelRecord, type RecordOptions } from '../models/recording.ts';
export { createReplayModel, type ReplayOptions } from '../models/recording.ts';
export { createMemoryStore, type MemoryStoreOptions } from '../stores/memory.ts';
export { modelContract, type ModelSituations } from './model-contract.ts';
export { openModelServer, type ModelServer, type ModelServerOptions } from './model-server/server.ts';
export type {
  ServedCall,
  ServedReply,
  ServedRequest,
  ServedScript,
  ServedSplit,
  ServedTurn,
  WireProtocol,
} from './model-server/script.ts';
export { sandboxContract, type SandboxPromises } from './sandbox/contract.ts';
export { storeContract, type StoreFixtures } from './store/contract.ts';
export { createTestScope, type TestScopeOptions } from './test-scope.ts';
export {
  crashingStore,
  everyCrash,
  runWithCrashes,
  type CrashingStore,
  type CrashPoint,
  type Incarnation,
  type CrashResult,
  type CrashWork,
} from './crash-harness.ts';

// Names of release 0.1. The next release removes them.
export { liveThrough } from './crash-harness.ts';
export type {
  /** @deprecated Use `Incarnation`. */
  Incarnation as Life,
  /** @deprecated Use `CrashResult`. */
  CrashResult as Trial,
  /** @deprecated Use `CrashWork`. */
  CrashWork as Work,
} from './crash-harness.ts';
