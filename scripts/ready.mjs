/** Loaded before scripts of npm: says what to do where they cannot run. */
import { fits, missingPackages, refuse, wrongNode } from '../bin/runtime.mjs';

const problem = missingPackages() ?? (fits() ? null : wrongNode());
if (problem !== null) refuse(problem);
