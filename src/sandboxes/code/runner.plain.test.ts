import { codeContract } from '../../../test/support/code-contract.ts';
import { createPlainSandboxes } from '../plain-provider.ts';

codeContract('plain', createPlainSandboxes());
