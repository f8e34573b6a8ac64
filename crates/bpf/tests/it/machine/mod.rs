mod faults;
mod instructions;
mod joins;
mod limits;
mod mutated;
mod random_programs;
mod refusals;
mod speed;
