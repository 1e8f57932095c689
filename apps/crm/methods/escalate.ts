import { defineMethod, readDocument, ServiceError, updateDocument } from 'chancery';

const PRIORITIES = ['Low', 'Medium', 'High', 'Urgent'];

/** Raises the priority of `ticket` by one step; at Urgent it stays. */
export const escalate = defineMethod({
  async run(ctx, { ticket }) {
    if (typeof ticket !== 'string' || ticket === '') {
      throw new ServiceError('ValidationError', 'ticket must be the name of a Ticket');
    }
    const { priority } = await readDocument(ctx, 'Ticket', ticket);
    const next = PRIORITIES[PRIORITIES.indexOf(String(priority)) + 1] ?? 'Urgent';
    if (next !== priority) await updateDocument(ctx, 'Ticket', ticket, { priority: next });
    return { name: ticket, priority: next };
  },
});
