// The imports of programs that tests start as separate processes.
export { collect } from '../../src/core/model.ts';
export { createScriptedModel } from '../../src/models/scripted.ts';
export { createMemoryStore } from '../../src/stores/memory.ts';
export { agentWith, done, hang, textOf, until } from './kernel.ts';
