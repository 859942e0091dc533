export * from './checked-plan.ts';
export * from './command.ts';
export * from './issue.ts';
export * from './plan-run.ts';
export * from './plan.ts';
