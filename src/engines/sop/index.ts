export * from './checked-plan.ts';
export * from './command.ts';
export * from './issue.ts';
export type * from './plan-run.ts';
export type * from './plan.ts';
