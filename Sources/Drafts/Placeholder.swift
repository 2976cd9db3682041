// Placeholder: replaced by the first landing of this target.
