// Statuses of a job, and the actions that each allows.

export const STATUSES = [
	"IN_QUEUE", "IN_PROGRESS", "COMPLETED", "FAILED", "CANCELLED", "TIMED_OUT", "EXPIRED",
];

export const canCancel = (status) => status === "IN_QUEUE" || status === "IN_PROGRESS";
export const canRetry = (status) => status === "FAILED" || status === "TIMED_OUT";
