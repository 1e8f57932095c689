import { readFileSync } from 'node:fs';

/** Resident memory of a process, MB; 0 where there is no /proc. */
export function residentMegabytes(pid: number): number {
  try {
    return Math.round(Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) / 1024);
  } catch {
    return 0;
  }
}

/** Seconds of processor time that a process has used; 0 where there is no /proc. */
export function processorSeconds(pid: number): number {
  try {
    // What follows the name in brackets: user and system time are the 12th and 13th, in hundredths.
    const fields = readFileSync(`/proc/${pid}/stat`, 'utf8')
      .replace(/^.*\) /s, '')
      .split(' ');
    return (Number(fields[11]) + Number(fields[12])) / 100;
  } catch {
    return 0;
  }
}
