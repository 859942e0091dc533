export * from './run-node.ts';
export * from './run-result.ts';
export * from './run-tree.ts';
export * from './text-tree.ts';
export * from './text.ts';
export * from './timeline.ts';
export * from './usage.ts';
export * from './why.ts';
