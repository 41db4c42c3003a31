"""What tests and `make figures` do with the sample site (`evaluation.sample_site`)."""
