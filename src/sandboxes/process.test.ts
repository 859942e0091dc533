import { sandboxContract } from '../testing/sandbox-contract.ts';
import { createProcessSandboxes } from './process.ts';

const provider = createProcessSandboxes();
sandboxContract('process', (grant) => provider.open(grant), { contains: true });
