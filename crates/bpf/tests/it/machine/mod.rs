mod faults;
mod instructions;
mod limits;
mod mutated;
mod random_programs;
mod refusals;
mod speed;
