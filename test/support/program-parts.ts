// What programs know that tests start as processes of their own.
export { collect } from '../../src/core/model.ts';
export { createScriptedModel } from '../../src/models/scripted.ts';
export { createMemoryStore } from '../../src/stores/memory.ts';
export { agentWith, done, hang, textOf, until } from './kernel.ts';
