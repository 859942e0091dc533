import { withoutBubblewrap } from '../../test/support/bubblewrap.ts';
import { codeContract } from '../../test/support/code-contract.ts';
import { createProcessSandboxes } from './process.ts';

if (withoutBubblewrap === false) codeContract('contained', createProcessSandboxes());
