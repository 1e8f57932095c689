import { defineMethod, readDocument, updateDocument } from 'chancery';

const PRIORITIES = ['Low', 'Medium', 'High', 'Urgent'];

/** Raises the priority of a ticket by one step; at Urgent it stays. */
export const escalate = defineMethod({
  description: 'Raise the priority of a ticket by one step',
  args: {
    ticket: { type: 'Link', options: 'Ticket', required: true },
  },
  async run(ctx, { ticket }) {
    const { priority } = await readDocument(ctx, 'Ticket', ticket);
    const next = PRIORITIES[PRIORITIES.indexOf(String(priority)) + 1] ?? 'Urgent';
    if (next !== priority) await updateDocument(ctx, 'Ticket', ticket, { priority: next });
    return { name: ticket, priority: next };
  },
});
